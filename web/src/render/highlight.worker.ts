// Colours code away from the page's own thread.

import type { HighlightRequest, HighlightResponse } from './highlight';
import { highlightSpans } from './highlight-spans';

const scope = self as unknown as {
  onmessage: (event: { data: HighlightRequest }) => void;
  postMessage(response: HighlightResponse): void;
};

scope.onmessage = ({ data: { id, code, language } }) => {
  scope.postMessage({ id, spans: highlightSpans(code, language) });
};
