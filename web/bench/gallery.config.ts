/** Takes pictures of every state of the page, to look at: `npm run gallery`. They are in `target/gallery`. */
import { defineConfig } from '@playwright/test';
import bench from './playwright.config';

export default defineConfig({ ...bench, testMatch: ['gallery.ts', 'gallery-states.ts', 'gallery-trouble.ts', 'gallery-rare.ts', 'gallery-background.ts'] });
