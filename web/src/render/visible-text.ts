export type TextPiece = { readonly text: string; /** "U+202E": a character that hides or turns what follows. */ readonly hidden?: string };
/** Makes characters seen that would deceive: direction marks, zero width, controls. */
export declare function visiblePieces(text: string): TextPiece[];
