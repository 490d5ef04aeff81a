import { createRoot } from 'react-dom/client';
import { saveDrafts } from './composer/drafts.ts';
import { exposeInspection } from './log/inspection.ts';
import { App } from './shell/app.tsx';
import { signInFromAddress } from './shell/sign-in.tsx';
import { electNotifier } from './state/notifier.ts';
import { openHost } from './state/host.ts';
import { applyPreferences } from './state/preferences.ts';
import { followVisibility } from './state/visibility.ts';
import { followAddress } from './state/route.ts';
import './style/tokens.css';
import './style/base.css';
import './style/button.css';
import './style/menu.css';
import './style/dialog.css';
import './style/rows.css';
import './style/feedback.css';
import './style/adapt.css';

applyPreferences(document.documentElement);
await signInFromAddress();
followAddress();
followVisibility();
electNotifier();
openHost();
exposeInspection();
// Store the latest input before the page is closed.
addEventListener('pagehide', saveDrafts);
createRoot(document.getElementById('root')!).render(<App />);
