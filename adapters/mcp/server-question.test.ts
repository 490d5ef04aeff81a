import { expect, test } from 'vitest';
import { toQuestion } from './server-question.ts';

test.each([
  ['https://g\u0456thub.com/login', 'xn--gthub-n2e.com (not only ASCII letters)'],
  ['https://github.com/login', 'github.com'],
  ['https://github.com:8443/login', 'github.com:8443'],
  ['http://127.0.0.1:8123/cb', '127.0.0.1:8123 (this machine)'],
  ['https://2130706433/', '127.0.0.1 (this machine)'],
  ['https://localhost./', 'localhost. (this machine)'],
  ['https://[::1]/', '[::1] (this machine)'],
  ['https://[::ffff:127.0.0.1]/', '[::ffff:7f00:1] (this machine)'],
  ['https://10.1.2.3/', '10.1.2.3 (a private network)'],
  ['https://192.168.1.1/', '192.168.1.1 (a private network)'],
  ['https://wiki.internal/', 'wiki.internal (a private network)'],
])('the host of %s is shown in ASCII, with what it is', (url, host) => {
  const question = toQuestion('one', { mode: 'url', message: 'Open it.', elicitationId: 'e', url });
  expect(question).toMatchObject({ host, url: new URL(url).href });
});
