/** Counts the answers that a page sends, on any way. */
import type { Page } from '@playwright/test';

export function countAnswers(page: Page): { readonly sent: string[] } {
  const sent: string[] = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => {
    if (String(payload).includes('"session:permission"')) sent.push(String(payload));
  }));
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/api\/approvals\//.test(request.url())) sent.push(`${request.url()} ${request.postData() ?? ''}`);
  });
  return { sent };
}
