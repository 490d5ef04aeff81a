import { TOKENS_CSS } from '@klaus/core/design-tokens';

/** The style of a shared session: light or dark as the system, one column, readable on a phone and on paper. */
export const SHARE_STYLE = `
:root { ${TOKENS_CSS} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--text);
  font: var(--text-p)/1.5 var(--font); overflow-wrap: anywhere; }
main { max-width: calc(var(--column) + 32px); margin: 0 auto; padding: 32px 16px 64px; }
h1 { font-size: var(--text-xxl); line-height: 1.3; margin: 0 0 8px; }
h2 { font-size: var(--text-p); margin: 24px 0 4px; color: var(--text-muted); font-weight: 600; }
h3 { font-size: var(--text-xl); } h4, h5, h6 { font-size: var(--text-l); }
a { color: var(--accent); }
.facts, .fact { color: var(--text-muted); font-size: var(--text-m); }
.user { margin: 24px 0 0 auto; width: fit-content; max-width: 85%; padding: 12px 16px; border-radius: var(--radius-l);
  background: var(--surface-sunken); white-space: pre-wrap; }
.user img { display: block; max-width: 100%; margin-top: 8px; }
details { margin: 4px 0; border: 1px solid var(--line); border-radius: var(--radius); }
summary { padding: 6px 12px; cursor: pointer; font-size: var(--text-m); }
details > div { padding: 0 12px 12px; }
code, pre, .path { font-family: var(--mono); font-size: var(--text-s); }
pre { margin: 8px 0; padding: 8px 12px; overflow: auto; border-radius: var(--radius); background: var(--surface-sunken); white-space: pre-wrap; }
.diff { padding: 0; } .diff span { display: block; min-height: 1.5em; padding: 0 12px; }
.add { background: var(--good-soft); } .del { background: var(--bad-soft); }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .muted { color: var(--text-muted); }
.end { margin: 16px 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: var(--radius-l); }
.end p { margin: 4px 0; }
.table { overflow: auto; } table { border-collapse: collapse; } th, td { padding: 4px 12px; border: 1px solid var(--line); text-align: left; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); color: var(--text-muted); }
:focus-visible { outline: 2px solid var(--accent); }
@media print { details > div { display: block; } }
`;
