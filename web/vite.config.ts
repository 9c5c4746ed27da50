import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';

// Relative addresses, so that the page also works below a path of a proxy.
export default defineConfig({
  base: './',
  plugins: [solid()],
  build: {
    target: 'es2022',
    // Inlined assets would need `data:` in the policy, and cannot be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
});
