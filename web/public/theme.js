// Runs before anything is painted, so that the page never flashes in the wrong colours.
(function () {
  var choice = null;
  try {
    choice = JSON.parse(localStorage.getItem('liminal:prefs') || '{}').theme;
  } catch (_) {
    // Storage may be off; the system's choice holds.
  }
  var dark = matchMedia('(prefers-color-scheme: dark)').matches;
  var contrast = matchMedia('(prefers-contrast: more)').matches;
  var system = contrast ? (dark ? 'contrast-dark' : 'contrast-light') : dark ? 'dark' : 'light';
  if (choice === 'contrast') choice = dark ? 'contrast-dark' : 'contrast-light';
  document.documentElement.dataset.theme = choice === 'light' || choice === 'dark' || /^contrast/.test(choice) ? choice : system;
})();
