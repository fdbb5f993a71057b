// Starts `cgsan lsp`, and starts it anew when a setting changes.

import { type ExtensionContext, commands, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

import { type Settings, clientOptions, notStarted, serverOptions } from "./server";

const OPEN_SETTINGS = "Open settings";

let client: LanguageClient | undefined;

/** What was asked for before, so that a server ends before the next one starts. */
let last: Promise<void> = Promise.resolve();

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("cgsan.restart", restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("cgsan.path") || change.affectsConfiguration("cgsan.pages")) {
        return restart();
      }
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> {
  return afterwards(stop);
}

function restart(): Promise<void> {
  return afterwards(async () => {
    await stop();
    await start();
  });
}

function afterwards(what: () => Promise<void>): Promise<void> {
  last = last.then(what);
  return last;
}

async function start(): Promise<void> {
  const chosen = settings();
  const next = new LanguageClient("cgsan", "cgsan", serverOptions(chosen), clientOptions(chosen));
  try {
    await next.start();
    client = next;
  } catch (reason) {
    // Nobody is made to wait for an answer.
    void tell(notStarted(chosen, reason));
  }
}

async function tell(text: string): Promise<void> {
  if ((await window.showErrorMessage(text, OPEN_SETTINGS)) === OPEN_SETTINGS) {
    await commands.executeCommand("workbench.action.openSettings", "cgsan.path");
  }
}

async function stop(): Promise<void> {
  const former = client;
  client = undefined;
  try {
    await former?.stop();
  } catch {
    // It has ended by itself.
  }
}

function settings(): Settings {
  const chosen = workspace.getConfiguration("cgsan");
  return { path: chosen.get("path", "cgsan"), pages: chosen.get("pages", "") };
}
