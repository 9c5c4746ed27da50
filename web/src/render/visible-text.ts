// Makes characters seen that deceive the eye: what is approved must be what is read.

export type TextPiece = {
  readonly text: string;
  /** "U+202E": a character that hides, or turns what follows. */
  readonly hidden?: string;
};

/** Controls but for tab and line ends; direction marks; zero width; tags; fillers that look like nothing. */
const HIDDEN =
   
  /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (isLineEnd(text, match.index)) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push({ text: match[0], hidden: codePoint(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function isLineEnd(text: string, index: number): boolean {
  return text.charAt(index) === '\r' && text.charAt(index + 1) === '\n';
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
