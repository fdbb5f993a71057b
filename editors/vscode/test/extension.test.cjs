// What the extension does in an editor.

const assert = require("node:assert/strict");
const test = require("node:test");

const { open } = require("./editor.cjs");

test("it starts `cgsan lsp` for Python", async () => {
  const editor = open();
  await editor.activate();
  const [client] = editor.clients;
  assert.deepEqual(client.server, { command: "cgsan", args: ["lsp"] });
  assert.deepEqual(
    client.options.documentSelector.map((it) => [it.scheme, it.language]),
    [["file", "python"], ["untitled", "python"]],
  );
  assert.deepEqual(client.options.initializationOptions, {});
  assert.equal(client.state, "running");
  await editor.extension.deactivate();
  assert.equal(client.state, "stopped");
});

test("a change of a setting starts another server, after the first has ended", async () => {
  const editor = open();
  await editor.activate();
  await editor.change("editor.fontSize", 12);
  assert.equal(editor.clients.length, 1);
  await Promise.all([
    editor.change("cgsan.path", "/opt/cgsan"),
    editor.change("cgsan.pages", "https://example.org/catalogue"),
    editor.commands["cgsan.restart"](),
  ]);
  assert.deepEqual(editor.clients.map((it) => it.state), ["stopped", "stopped", "stopped", "running"]);
  const { server, options } = editor.clients.at(-1);
  assert.equal(server.command, "/opt/cgsan");
  assert.deepEqual(options.initializationOptions, { pages: "https://example.org/catalogue" });
  assert.deepEqual(editor.errors, []);
});

test("a command that is not there is told, with the setting that names it", async () => {
  const editor = open({
    settings: { "cgsan.path": "nowhere" },
    fails: ({ command }) => command === "nowhere" && new Error("spawn nowhere ENOENT"),
  });
  editor.answer = "Open settings";
  await editor.activate();
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(editor.errors[0], /`nowhere lsp` does not start: spawn nowhere ENOENT.*cgsan\.path/);
  assert.deepEqual(editor.executed, [["workbench.action.openSettings", "cgsan.path"]]);
  await editor.change("cgsan.path", "cgsan");
  assert.equal(editor.clients.at(-1).state, "running");
});

test("every setting and command that is used is declared, and the other way round", () => {
  const { contributes } = require("../package.json");
  const declared = Object.keys(contributes.configuration.properties).sort();
  // The language client itself reads the third.
  assert.deepEqual(declared, ["cgsan.pages", "cgsan.path", "cgsan.trace.server"]);
  assert.deepEqual(contributes.commands.map((it) => it.command), ["cgsan.restart"]);
});
