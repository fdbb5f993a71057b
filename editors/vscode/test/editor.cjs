// A stand-in for the editor: what the extension asks of `vscode` and of the language client, written down.

const Module = require("node:module");
const path = require("node:path");

const EXTENSION = path.join(__dirname, "../out/test/extension.js");

/** Loads the extension anew, into an editor with these settings whose clients start unless `fails` says why not. */
exports.open = function open({ settings = {}, fails = () => undefined } = {}) {
  const editor = { clients: [], commands: {}, errors: [], executed: [], answer: undefined, settings };
  const listeners = [];

  const vscode = {
    commands: {
      registerCommand: (name, run) => ((editor.commands[name] = run), { dispose() {} }),
      executeCommand: async (...what) => void editor.executed.push(what),
    },
    window: {
      showErrorMessage: async (text) => (editor.errors.push(text), editor.answer),
    },
    workspace: {
      getConfiguration: (section) => ({
        get: (name, otherwise) => editor.settings[`${section}.${name}`] ?? otherwise,
      }),
      onDidChangeConfiguration: (listener) => (listeners.push(listener), { dispose() {} }),
    },
  };

  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(this, { id, name, server, options, state: "new" });
      editor.clients.push(this);
    }
    async start() {
      const reason = fails(this.server);
      if (reason) throw reason;
      if (editor.clients.some((it) => it.state === "running")) throw new Error("two servers at once");
      this.state = "running";
    }
    async stop() {
      await new Promise((resolve) => setImmediate(resolve));
      this.state = "stopped";
    }
  }

  editor.change = async (name, value) => {
    editor.settings[name] = value;
    await Promise.all(listeners.map((it) => it({ affectsConfiguration: (asked) => asked === name })));
  };

  const modules = { vscode, "vscode-languageclient/node": { LanguageClient } };
  const load = Module._load;
  Module._load = (name, ...rest) => modules[name] ?? load(name, ...rest);
  try {
    delete require.cache[EXTENSION];
    editor.extension = require(EXTENSION);
  } finally {
    Module._load = load;
  }
  editor.activate = () => editor.extension.activate({ subscriptions: [] });
  return editor;
};
