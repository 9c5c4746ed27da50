/** Figures of the page in a browser: `./x bench web`. One after the other, because they share the machine. */
import { defineConfig } from '@playwright/test';
import tests from '../playwright.config';

export default defineConfig({ ...tests, testDir: '.', testMatch: '*.bench.ts', outputDir: '../../target/bench', workers: 1, fullyParallel: false, timeout: 300_000, reporter: [['dot']] });
