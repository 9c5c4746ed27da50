/** Keeps the composer above the on-screen keyboard, for browsers that lay the keyboard over the page. */
export function followKeyboardOfPhone(): () => void {
  const viewport = window.visualViewport;
  if (!viewport) return () => undefined;
  const apply = (): void => {
    const covered = Math.max(0, innerHeight - viewport.height - viewport.offsetTop);
    document.documentElement.style.setProperty('--keyboard', `${Math.round(covered)}px`);
  };
  viewport.addEventListener('resize', apply);
  viewport.addEventListener('scroll', apply);
  apply();
  return () => {
    viewport.removeEventListener('resize', apply);
    viewport.removeEventListener('scroll', apply);
  };
}
