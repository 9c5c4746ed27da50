// Asks a worker for colours. Code is shown without them until they come, and where none come.

import { languageNamed } from './highlight-languages';

export type Span = { readonly text: string; readonly classes: string };
export type HighlightRequest = { readonly id: number; readonly language: string; readonly code: string };
export type HighlightResponse = { readonly id: number; readonly spans: readonly Span[] | undefined };

/** The part of `Worker` that is used. */
export type WorkerLike = {
  postMessage(message: HighlightRequest): void;
  onmessage: ((event: { data: HighlightResponse }) => void) | null;
  onerror: ((event: unknown) => void) | null;
};

export type Highlighter = {
  /** Nothing for unknown languages, more than 2,000 lines, or a broken worker. */
  highlight(code: string, language: string | undefined): Promise<readonly Span[] | undefined>;
};

const MOST_LINES = 2_000;
const MOST_CHARACTERS = 300_000;

/** The worker is made with the first request. */
export function createHighlighter(makeWorker: () => WorkerLike): Highlighter {
  const waiting = new Map<number, (spans: readonly Span[] | undefined) => void>();
  let worker: WorkerLike | undefined;
  let isBroken = false;
  let count = 0;

  const settle = (id: number, spans: readonly Span[] | undefined) => {
    waiting.get(id)?.(spans);
    waiting.delete(id);
  };
  const broken = () => {
    isBroken = true;
    for (const id of [...waiting.keys()]) settle(id, undefined);
  };
  const start = () => {
    const made = makeWorker();
    made.onmessage = ({ data }) => settle(data.id, data.spans);
    made.onerror = broken;
    return made;
  };

  return {
    highlight(code, name) {
      const language = name === undefined ? undefined : languageNamed(name);
      if (isBroken || language === undefined || isTooLong(code)) return Promise.resolve(undefined);
      count += 1;
      const id = count;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        try {
          worker ??= start();
          worker.postMessage({ id, language, code });
        } catch {
          broken();
        }
      });
    },
  };
}

function isTooLong(code: string): boolean {
  if (code.length > MOST_CHARACTERS) return true;
  let lines = 1;
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > MOST_LINES) return true;
  }
  return false;
}
