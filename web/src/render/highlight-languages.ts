// The languages that are coloured, by the names that people write behind a fence.

const NAMES: Record<string, readonly string[]> = {
  bash: ['sh', 'zsh', 'shell', 'console'],
  c: ['h'],
  cpp: ['c++', 'cc', 'hpp', 'cxx'],
  csharp: ['c#', 'cs'],
  css: [],
  diff: ['patch'],
  dockerfile: ['docker'],
  go: ['golang'],
  ini: ['toml'],
  java: [],
  javascript: ['js', 'jsx', 'mjs', 'cjs'],
  json: ['jsonc', 'json5'],
  markdown: ['md'],
  python: ['py'],
  ruby: ['rb'],
  rust: ['rs'],
  sql: [],
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  xml: ['html', 'svg', 'xhtml'],
  yaml: ['yml'],
};

export const LANGUAGES: readonly string[] = Object.keys(NAMES);

const BY_NAME = new Map(Object.entries(NAMES).flatMap(([language, names]) => [language, ...names].map((name) => [name, language] as const)));

/** The language of a name; nothing if it is not coloured. */
export function languageNamed(name: string): string | undefined {
  return BY_NAME.get(name.toLowerCase());
}
