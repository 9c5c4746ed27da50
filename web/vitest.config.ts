import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', environment: 'node', include: ['tests/unit/**/*.test.ts'] } },
      {
        plugins: [solid()],
        resolve: { conditions: ['development', 'browser'] },
        test: {
          name: 'dom',
          testTimeout: 30_000,
          environment: 'happy-dom',
          include: ['tests/dom/**/*.test.tsx'],
          setupFiles: ['tests/dom/setup.ts'],
          server: { deps: { inline: [/solid-js/, /@solidjs\/testing-library/] } },
        },
      },
    ],
  },
});
