/** Tests of the whole program in a browser. `./x test` builds what they start. */
import { defineConfig } from '@playwright/test';

/** Chromium takes a page that does not come from the program for one of the internet, which may not ask this machine. */
const own = process.env['LIMINAL_PAGE'] ? ['--disable-features=LocalNetworkAccessChecks'] : [];

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  outputDir: '../target/e2e',
  workers: 2,
  fullyParallel: true,
  // A flaky test is a bug, so nothing is tried twice.
  retries: 0,
  forbidOnly: true,
  // Limits are for what hangs: a machine that does other things too takes its time.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: [['list'], ['./tests/e2e/harness/clause-reporter.ts']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    actionTimeout: 45_000,
    permissions: ['clipboard-read', 'clipboard-write'],
    launchOptions: {
      executablePath: process.env['LIMINAL_CHROMIUM'] ?? '/usr/bin/chromium',
      // Chromium's sandbox does not start for root; the pages are our own.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info', '--js-flags=--expose-gc', ...own],
    },
  },
});
