/**
 * The page as it lies in `dist`, before a program that was built with an older one. For work on the page: with
 * `LIMINAL_PAGE=dist` a change of it is tested without compiling the program. The headers stay the program's own.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { repository } from './place';

const dist = join(repository, 'web/dist');
const FILE = /\/(assets\/[^/?]+|theme\.js|favicon\.svg)$/;
const PAGE = /\/(s\/[^/]*)?$/;

export async function servePageFromDisk(context: BrowserContext): Promise<void> {
  if (process.env['LIMINAL_PAGE'] !== 'dist') return;
  await context.route((url) => FILE.test(url.pathname), (route) => {
    const path = join(dist, FILE.exec(new URL(route.request().url()).pathname)?.[1] ?? '');
    return existsSync(path) ? route.fulfill({ path }) : route.fallback();
  });
  await context.route((url) => PAGE.test(url.pathname), async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    if (!(response.headers()['content-type'] ?? '').includes('text/html')) return route.fulfill({ response });
    const isNested = new URL(route.request().url()).pathname.includes('/s/');
    const page = readFileSync(join(dist, 'index.html'), 'utf8');
    return route.fulfill({ response, body: isNested ? page.replaceAll('="./', '="../') : page });
  });
}
