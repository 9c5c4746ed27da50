export type HtmlBlock = { readonly kind: 'html'; readonly key: string; readonly raw: string; /** Not sanitised: goes through `sanitize`. */ readonly html: string };
export type CodeBlock = {
  readonly kind: 'code'; readonly key: string; readonly raw: string;
  readonly language: string | undefined; readonly code: string;
  /** The fence is not closed yet. */
  readonly isOpen: boolean;
};
export type Block = HtmlBlock | CodeBlock;

export type MarkdownBlocks = {
  /** Every block but the last is final; a block is the same object, under the same key, as long as it says the same. */
  readonly blocks: readonly Block[];
};

/** Keeps what it read, so that growing texts cost what was added. One per text. */
export declare function createMarkdown(): (text: string, isComplete: boolean) => MarkdownBlocks;
