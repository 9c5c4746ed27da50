/** Takes a picture of the page at every width, light and dark; a phone has a finger and no mouse. */
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';

const folder = resolve(import.meta.dirname, '../../target/gallery');
const SIZES = [[1440, 900], [1024, 768], [390, 780]] as const;
const PHONE = 390;

/** Browsers cannot be told of a finger and then of a mouse again, so the rules for fingers are made to hold. */
async function point(page: Page, by: 'finger' | 'mouse'): Promise<void> {
  await page.evaluate((by) => {
    const kept = globalThis as { conditions?: Map<string, string> };
    kept.conditions ??= new Map();
    for (const sheet of document.styleSheets) {
      for (const [index, rule] of [...sheet.cssRules].entries()) {
        const key = `${sheet.href} ${index}`;
        const text = kept.conditions.get(key) ?? (rule instanceof CSSMediaRule ? rule.conditionText : '');
        if (!(rule instanceof CSSMediaRule) || !/pointer|hover/.test(text)) continue;
        kept.conditions.set(key, text);
        const condition = by === 'mouse' ? text : /coarse|none/.test(text) ? 'all' : 'not all';
        const inside = [...rule.cssRules].map((inner) => inner.cssText).join('\n');
        sheet.deleteRule(index);
        sheet.insertRule(`@media ${condition} { ${inside} }`, index);
      }
    }
    dispatchEvent(new Event('resize'));
    const target = getComputedStyle(document.documentElement).getPropertyValue('--target');
    if ((by === 'finger') !== (target === '44px')) throw new Error(`the page is made for ${target}, not for a ${by}`);
  }, by);
}

export async function take(page: Page, name: string, widths: readonly number[] = SIZES.map(([width]) => width)): Promise<void> {
  for (const [width, height] of SIZES.filter(([width]) => widths.includes(width))) {
    await page.setViewportSize({ width, height });
    await point(page, width === PHONE ? 'finger' : 'mouse');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, animations: 'disabled' });
    }
  }
  await point(page, 'mouse');
  await page.setViewportSize({ width: 1440, height: 900 });
}
