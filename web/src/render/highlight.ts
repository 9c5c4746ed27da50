export type Span = { readonly text: string; readonly classes: string };
export type HighlightRequest = { readonly id: number; readonly language: string; readonly code: string };
export type HighlightResponse = { readonly id: number; readonly spans: readonly Span[] | undefined };

export type WorkerLike = {
  postMessage(message: HighlightRequest): void;
  onmessage: ((event: { data: HighlightResponse }) => void) | null;
  onerror: ((event: unknown) => void) | null;
};

export type Highlighter = {
  /** Nothing for unknown languages, more than 2,000 lines, or a broken worker. */
  highlight(code: string, language: string | undefined): Promise<readonly Span[] | undefined>;
};

/** The worker is made with the first request. */
export declare function createHighlighter(makeWorker: () => WorkerLike): Highlighter;
