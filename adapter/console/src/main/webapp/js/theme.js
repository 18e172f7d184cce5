// A classic script, loaded before the page is drawn: a module would come later, and the page would flash.
(function applyTheme() {
  const asked = new URLSearchParams(location.search).get('theme');
  let kept = null;
  try {
    kept = localStorage.getItem('tasktube.theme');
  } catch (e) {
    // Without storage the system's theme serves.
  }
  const theme = asked || kept;
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
})();
