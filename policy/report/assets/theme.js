'use strict';
// Theme: as the system, light or dark. The choice is kept where the browser lets a file keep one.
document.documentElement.classList.add('js');
(() => {
  const order = ['auto', 'light', 'dark'];
  const names = { auto: 'Auto', light: 'Light', dark: 'Dark' };
  const button = document.getElementById('theme');
  let theme = 'auto';
  try { theme = localStorage.getItem('stophook-theme') || 'auto'; } catch { /* no storage for files */ }
  const apply = () => {
    if (!order.includes(theme)) theme = 'auto';
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    document.getElementById('theme-name').textContent = names[theme];
    button.setAttribute('aria-label', 'Colours: ' + (theme === 'auto' ? 'as the system' : theme));
  };
  button.addEventListener('click', () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    try { localStorage.setItem('stophook-theme', theme); } catch { /* no storage for files */ }
    apply();
  });
  apply();
})();
