import { expect, test } from 'vitest';
import type { InputField } from '../../protocol/index.ts';
import { asksForSecret } from './asks-for-secret.ts';

const text = (title: string, more: Partial<InputField> = {}): InputField => ({
  ...{ name: 'answer', title, type: 'text', required: true },
  ...more,
});

test.each([
  'Please enter the password of your GitHub account',
  'Pass\u200bword',
  'P\u0430ssword',
  'Ｐａｓｓｗｏｒｄ',
  'pa\u0301ssword',
  'P4ssw0rd',
  'p a s s w o r d',
  'p-a-s-s-w-o-r-d',
  'PASS_PHRASE',
  'userPin',
  'Your seed phrase (12 words)',
  'Recovery code',
  'one-time code',
  'The 6 digit verification code',
  'CVV',
  'Private key',
  'Content of ~/.ssh/id_ed25519',
  'API-Key',
  'Access token',
  'Passwort',
  'Ihr Kennwort',
  'Bestätigungscode',
  'Mot de passe',
  'Clé privée',
  'Contraseña',
  'Su clave',
  'Codice di sicurezza',
  'Chiave privata',
  'Senha',
  'Código de verificação',
  'Wachtwoord',
  'Herstelcode',
  'Hasło',
  'Klucz prywatny',
  'Пароль',
  'П\u0061роль',
  'Код подтверждения',
  '密码',
  '验证码',
  'パスワード',
  '暗証番号',
])('a form asks for a secret by its message, a title, a description, a name or an option: %s', (asked) => {
  const plain = text('Answer');
  expect(asksForSecret({ message: asked, fields: [plain] })).toBe(true);
  expect(asksForSecret({ message: 'Hello', fields: [text(asked)] })).toBe(true);
  expect(asksForSecret({ message: 'Hello', fields: [text('Answer', { description: asked })] })).toBe(true);
  expect(asksForSecret({ message: 'Hello', fields: [text('Answer', { name: asked })] })).toBe(true);
  const choice: InputField = {
    ...{ name: 'kind', title: 'Kind', type: 'choice', required: false },
    options: [{ value: 'a', title: asked }],
  };
  expect(asksForSecret({ message: 'Hello', fields: [plain, choice] })).toBe(true);
  // Nothing can be entered.
  expect(asksForSecret({ message: asked, fields: [choice] })).toBe(false);
});

test.each([
  'Which branch?',
  'Name of the project',
  'How many spinning wheels does the tank have?',
  'Your e-mail address',
  'Welche Farbe?',
  'Quel est le nom du fichier ?',
  '¿Qué archivo?',
  'Qual è il nome della cartella?',
  'Какой файл?',
  '文件名',
  'ファイル名',
  'Compass direction',
  'Key of the map',
  'Shipping address and postal code',
])('a form does not ask for a secret: %s', (asked) => {
  expect(asksForSecret({ message: asked, fields: [text(asked)] })).toBe(false);
});
