// The command that the extension starts, over the library that it speaks with.

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { test } = require("node:test");
const rpc = require("vscode-languageserver-protocol/node");

const { open } = require("./editor.cjs");

const PROGRAM = `import torch

x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    total = x.sum().item()
`;

// `cargo xtask test` names the command that it has built.
const cgsan = process.env.CGSAN;

test("the server shows a finding and offers repairs", { skip: cgsan ? false : "CGSAN names no command" }, async () => {
  const editor = open({ settings: { "cgsan.path": cgsan } });
  await editor.activate();
  const { server, options } = editor.clients[0];
  const child = spawn(server.command, server.args, { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createProtocolConnection(child.stdout, child.stdin);
  connection.listen();
  try {
    const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions: options.initializationOptions,
    });
    assert.deepEqual(capabilities.codeActionProvider.codeActionKinds, ["quickfix", "source.fixAll.cgsan"]);
    const found = new Promise((resolve) => {
      connection.onNotification(rpc.PublishDiagnosticsNotification.type, resolve);
    });
    await connection.sendNotification(rpc.InitializedNotification.type, {});
    const textDocument = { uri: "untitled:Untitled-1", languageId: "python", version: 1, text: PROGRAM };
    await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument });
    const { diagnostics } = await found;
    assert.deepEqual(diagnostics.map((it) => [it.code, it.range.start.line]), [["CG101", 4]]);
    await connection.sendRequest(rpc.ShutdownRequest.type);
    await connection.sendNotification(rpc.ExitNotification.type);
    const status = await new Promise((resolve) => child.once("exit", resolve));
    assert.equal(status, 0);
  } finally {
    connection.dispose();
    child.kill();
  }
});
