// What is started, and what it is told: nothing here needs the editor.

import type { LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** What a person can choose; the names are those of package.json, without `cgsan.` before them. */
export interface Settings {
  /** The command, by name or by path. */
  path: string;
  /** The address of the catalogue's site; empty if there is none. */
  pages: string;
}

/** The command and its arguments. */
export function serverOptions(settings: Settings): ServerOptions {
  return { command: settings.path.trim() || "cgsan", args: ["lsp"] };
}

/** Which files it is asked about. The server itself asks for the cells of notebooks. */
export function clientOptions(settings: Settings): LanguageClientOptions {
  return {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
    ],
    initializationOptions: settings.pages ? { pages: settings.pages } : {},
  };
}

/** What to tell a person if it does not start. */
export function notStarted(settings: Settings, reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason);
  return `\`${settings.path} lsp\` does not start: ${text}. Install cgsan, or name the command in the setting cgsan.path.`;
}
