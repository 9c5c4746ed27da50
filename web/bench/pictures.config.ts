/** Takes the pictures of the README anew: `npm run pictures`. */
import { defineConfig } from '@playwright/test';
import bench from './playwright.config';

export default defineConfig({ ...bench, testMatch: 'pictures.ts' });
