/** Takes a picture of the page at every width, light and dark; a phone has a finger and no mouse. */
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';

const folder = resolve(import.meta.dirname, '../../target/gallery');
const SIZES = [[1440, 900], [1024, 768], [390, 780]] as const;
const PHONE = 390;

/** Browsers cannot be told of a finger and then of a mouse again, so the rules for fingers are made to hold. */
async function point(page: Page, by: 'finger' | 'mouse'): Promise<void> {
  await page.evaluate((by) => {
    const kept = globalThis as { mediaRules?: Map<CSSMediaRule, string> };
    const found = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && /pointer|hover/.test(rule.conditionText));
    kept.mediaRules ??= new Map(found.map((rule) => [rule, rule.media.mediaText]));
    for (const [rule, text] of kept.mediaRules) rule.media.mediaText = by === 'mouse' ? text : /coarse|none/.test(text) ? 'all' : 'not all';
    dispatchEvent(new Event('resize'));
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
