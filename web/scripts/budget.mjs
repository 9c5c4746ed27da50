// Fails when the page has grown beyond what a first visit should cost.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const KB = 1024;
const BUDGET = { initialScript: 90 * KB, lazyScript: 60 * KB, style: 15 * KB };
const dist = new URL('../dist/', import.meta.url);

if (!existsSync(new URL('index.html', dist))) {
  console.error('budget: there is no dist; run `npm run build` first');
  process.exit(1);
}

const size = (name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length;
const index = readFileSync(new URL('index.html', dist), 'utf8');
const named = [...index.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]);
const assets = readdirSync(new URL('assets/', dist)).map((name) => `assets/${name}`);
const scripts = assets.filter((name) => name.endsWith('.js'));
const sum = (names) => names.reduce((total, name) => total + size(name), 0);

const checks = [
  ['initial scripts', sum(named.filter((name) => name.endsWith('.js'))), BUDGET.initialScript],
  ['styles', sum(assets.filter((name) => name.endsWith('.css'))), BUDGET.style],
  ...scripts.filter((name) => !named.includes(name)).map((name) => [name, size(name), BUDGET.lazyScript]),
];

let failed = false;
for (const [name, found, allowed] of checks) {
  const isOver = found > allowed;
  failed ||= isOver;
  console.log(`${isOver ? '✗' : '✓'} ${name}: ${(found / KB).toFixed(1)} KB gzip of ${(allowed / KB).toFixed(0)}`);
}
process.exit(failed ? 1 : 0);
