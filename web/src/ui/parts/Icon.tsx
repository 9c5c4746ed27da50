/** The page's icons: strokes on a grid of 16. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  check: 'M3.5 8.5l3 3 6-7',
  search: 'M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.5 10.5L14 14',
  folder: 'M2 4.5A1.5 1.5 0 013.5 3H6l1.5 2h5A1.5 1.5 0 0114 6.5v5a1.5 1.5 0 01-1.5 1.5h-9A1.5 1.5 0 012 11.5z',
  file: 'M4 2.5h5L12 5.5V13.5H4zM9 2.5V5.5H12',
  edit: 'M10.5 3l2.5 2.5L6 12.5 3 13l.5-3z',
  terminal: 'M2.5 3.5h11v9h-11zM5 6.5L7 8 5 9.5M8.5 10h2.5',
  globe: 'M8 14A6 6 0 108 2a6 6 0 000 12zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2z',
  brain: 'M8 3.5C6.5 2 4 2.800 4 5c-1.5.5-2 2.5-.8 3.5C2.5 10 3.5 12 5.300 12c.7 1.5 2.700 1.300 2.700 0zM8 3.5C9.5 2 12 2.800 12 5c1.5.5 2 2.5.8 3.5.7 1.5-.3 3.5-2.100 3.5C10 13.5 8 13.300 8 12z',
  tool: 'M9.5 5.5a3 3 0 014-2.800L11.5 4.700l.8 1.200 1.800-1.600a3 3 0 01-4 3.700L5.5 12.800a1.400 1.400 0 01-2-2z',
  send: 'M8 13V3M4 7l4-4 4 4',
  stop: 'M4.5 4.5h7v7h-7z',
  clock: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 5v3.200L10 10',
  alert: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.300v.1',
  info: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.5v3.5M8 5v.1',
  more: 'M4 8v.1M8 8v.1M12 8v.1',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  wrap: 'M2.5 4h11M2.5 8h9a2 2 0 010 4H8M9.5 10.5L8 12l1.5 1.5M2.5 12H5',
  archive: 'M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3',
  restore: 'M3 8a5 5 0 105-5H4.5M6.5 1L4.5 3l2 2',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5L5 13.5h6l.5-9',
  branch: 'M5 10.5V5.5M5 5.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM5 13.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM11 6.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM11 6.5c0 2-1.5 3-6 3',
  sliders: 'M2.5 5h5M11.5 5h2M9.5 5a1 1 0 102 0 1 1 0 10-2 0zM2.5 11h2M8.5 11h5M4.5 11a1.5 1.5 0 103 0 1.5 1.5 0 10-3 0z',
  shield: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4v.1M2.5 8v.1M2.5 12v.1',
  bell: 'M4 11V7.5a4 4 0 018 0V11l1 1.5H3zM6.5 13.5a1.5 1.5 0 003 0',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  spark: 'M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z',
  link: 'M6.5 9.5l3-3M7 4.5l1-1a2.800 2.800 0 014 4l-1 1M9 11.5l-1 1a2.800 2.800 0 01-4-4l1-1',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
  group: 'M3 3h4v4H3zM9 9h4v4H9zM7 5h2.5A1.5 1.5 0 0111 6.5V9',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 100-4 2 2 0 000 4z',
  image: 'M2.5 3.5h11v9h-11zM2.5 11l3-3 3 3 2-2 3 3M10.5 6.5v.1',
  bolt: 'M9 2L3.5 9H8l-1 5 5.5-7H8z',
  dot: 'M8 8v.1',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon(props: { name: IconName; class?: string }) {
  return <svg class={`icon ${props.class ?? ''}`} viewBox="0 0 16 16" aria-hidden="true"><path d={PATHS[props.name]} /></svg>;
}
