import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';

const dom = fileURLToPath(new URL('./src/dom.ts', import.meta.url));

// Relative addresses, so that the page also works below a path of a proxy.
export default defineConfig({
  base: './',
  // Components take their templates from src/dom.ts, because the page's policy asks for Trusted Types.
  plugins: [solid({ solid: { moduleName: 'liminal-dom' } })],
  resolve: { alias: { 'liminal-dom': dom } },
  build: {
    target: 'es2022',
    // Inlined assets would need `data:` in the policy, and cannot be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What turns text into elements changes seldom, so browsers can keep it across versions.
    rollupOptions: { output: { manualChunks: { markdown: ['marked', 'dompurify', 'remend', 'morphdom'] } } },
  },
  worker: { format: 'es' },
});
