// Dark or light: as the system has it, until somebody says otherwise.

const dark = matchMedia('(prefers-color-scheme: dark)');
const KEPT = 'fencepost-theme';
const NAMES = ['page', 'panel', 'band', 'line', 'edge', 'text', 'dim', 'focus', 'harm', 'on-harm', 'guard', 'on-guard', 'doubt', 'on-doubt', 'fault', 'pause', 'acquire', 'write', 'read', 'refused', 'match'];

let ink = {};
let isDark = false;

// A page that is opened as a file may be kept from remembering anything.
const remembered = () => {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
};

const applyTheme = (theme) => {
  isDark = theme ? theme === 'dark' : dark.matches;
  const root = document.documentElement;
  root.style.colorScheme = isDark ? 'dark' : 'light';
  root.dataset.theme = isDark ? 'dark' : 'light';
  document.getElementById('theme-name').textContent = isDark ? 'Light' : 'Dark';
  // A canvas knows no variables: what they come to is read off an element.
  const probe = document.body.appendChild(document.createElement('i'));
  ink = Object.fromEntries(
    NAMES.map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  changed('theme');
};

const toggleTheme = () => {
  const theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // Then it is so until the page is closed.
  }
  applyTheme(theme);
};

dark.addEventListener('change', () => remembered() || applyTheme(null));
document.getElementById('theme').addEventListener('click', toggleTheme);

// A lock's leases have a colour of their own; none is near the red of harm.
const HUES = [212, 268, 184, 50, 236, 150, 300, 200];
const lockColour = (lock, alpha = 1) => {
  const hue = HUES[lock % HUES.length];
  return isDark ? `hsl(${hue} 55% 46% / ${alpha})` : `hsl(${hue} 72% 74% / ${alpha})`;
};
const lockEdge = (lock) => {
  const hue = HUES[lock % HUES.length];
  return isDark ? `hsl(${hue} 75% 72%)` : `hsl(${hue} 70% 38%)`;
};
const lockText = () => (isDark ? '#ffffff' : '#10233a');
