/** The style of a shared session: light or dark as the system, one column, readable on a phone and on paper. */
export const SHARE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#191a1f, #e7e8ec); --muted: light-dark(#5a5d68, #a1a4af);
  --surface: light-dark(#fff, #131418); --sunken: light-dark(#f3f3f6, #1a1b20); --line: light-dark(#e4e4ea, #27292f);
  --good: light-dark(#1a6e3c, #6cc68d); --bad: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5300, #e5ae55);
  --good-soft: light-dark(#e3f4e9, #14301f); --bad-soft: light-dark(#fdebea, #3c1b1a); --accent: light-dark(#4848c8, #a3a8ff); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--text);
  font: 14px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 800px; margin: 0 auto; padding: 32px 16px 64px; }
h1 { font-size: 24px; line-height: 1.3; margin: 0 0 8px; }
h2 { font-size: 14px; margin: 24px 0 4px; color: var(--muted); font-weight: 600; }
h3 { font-size: 20px; } h4, h5, h6 { font-size: 16px; }
a { color: var(--accent); }
.facts, .fact { color: var(--muted); font-size: 13px; }
.user { margin: 24px 0 0 auto; width: fit-content; max-width: 85%; padding: 12px 16px; border-radius: 10px;
  background: var(--sunken); white-space: pre-wrap; }
.user img { display: block; max-width: 100%; margin-top: 8px; }
details { margin: 4px 0; border: 1px solid var(--line); border-radius: 6px; }
summary { padding: 6px 12px; cursor: pointer; font-size: 13px; }
details > div { padding: 0 12px 12px; }
code, pre, .path { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; }
pre { margin: 8px 0; padding: 8px 12px; overflow: auto; border-radius: 6px; background: var(--sunken); white-space: pre-wrap; }
.diff { padding: 0; } .diff span { display: block; min-height: 1.5em; padding: 0 12px; }
.add { background: var(--good-soft); } .del { background: var(--bad-soft); }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .muted { color: var(--muted); }
.end { margin: 16px 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; }
.end p { margin: 4px 0; }
.table { overflow: auto; } table { border-collapse: collapse; } th, td { padding: 4px 12px; border: 1px solid var(--line); text-align: left; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); color: var(--muted); }
:focus-visible { outline: 2px solid var(--accent); }
@media print { details > div { display: block; } }
`;
