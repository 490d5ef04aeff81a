import { toSkeleton } from './skeleton.ts';

/** What a secret is called, as parts of words. A space is any mark between words. */
const WORDS = `
password|pass phrase|pass code|passwd|pass key|secret|credential|token|api key|private key|access key|ssh key|signing key|encryption key|master key|key file|keyring|keychain|keystore
recovery code|recovery key|recovery phrase|recovery word|backup code|backup phrase|seed phrase|seed word|wallet phrase|mnemonic|one time code|one time pass|verification code|authentication code|authenticator code|confirmation code|login code|sms code|2fa|two factor|mfa code|security code|security answer|mother's maiden|card number|credit card|debit card|account number|social security
id rsa|id dsa|id ecdsa|id ed25519|.ssh/|.pem|.netrc|.npmrc|.pgpass|.aws/|.kube/|.gnupg|begin rsa|begin openssh|begin private
passwort|kennwort|passphrase|geheimnis|geheimzahl|geheimwort|losungswort|zugangsdaten|anmeldedaten|zugangscode|sicherheitscode|bestätigungscode|bestaetigungscode|einmalcode|einmalpass|einmalkenn|wiederherstellungs|privater schlüssel|privaten schlüssel|privater schluessel|privaten schluessel|api schlüssel|api schluessel|kartennummer|prüfnummer|prüfziffer
mot de passe|mots de passe|phrase de passe|phrase secrète|phrase de récupération|code secret|code de vérification|code de confirmation|code de récupération|code de sécurité|code à usage unique|clé privée|clé secrète|clé api|clé d'api|clé d'accès|jeton d|identifiants de connexion|numéro de carte|cryptogramme
contraseña|clave privada|clave secreta|clave de acceso|clave api|código de verificación|código de seguridad|código de recuperación|código de un solo uso|código secreto|frase semilla|frase de recuperación|frase secreta|credencial|número de tarjeta
parola d'ordine|parola segreta|codice segreto|codice di verifica|codice di recupero|codice di sicurezza|codice monouso|chiave privata|chiave segreta|chiave api|chiave di accesso|frase di recupero|frase segreta|credenzial|numero di carta|numero della carta
palavra passe|código de verificação|código de segurança|código de recuperação|código único|chave privada|chave secreta|chave de api|chave api|chave de acesso|frase semente|frase de recuperação|credenciais|número do cartão
wachtwoord|wachtzin|toegangscode|pincode|beveiligingscode|herstelcode|verificatiecode|eenmalige code|privésleutel|prive sleutel|privé sleutel|geheime sleutel|api sleutel|inloggegevens|herstelzin|kaartnummer
kod weryfikacyjny|kod odzyskiwania|kod zabezpieczający|kod jednorazowy|kod sms|kod pin|klucz prywatny|klucza prywatnego|klucz api|klucz tajny|klucz dostępu|fraza odzyskiwania|frazę odzyskiwania|dane logowania|numer karty
парол|код подтвержд|код восстановл|код безопасн|код доступа|код из смс|код из sms|одноразов|секретн|закрытый ключ|закрытого ключа|приватный ключ|приватного ключа|ключ доступа|ключ api|сид фраз|мнемоническ|токен|учетные данные|учётные данные|номер карт|пин код
密码|密碼|口令|验证码|驗證碼|私钥|私鑰|密钥|密鑰|助记词|助記詞|恢复码|恢復碼|恢复短语|令牌|凭据|憑據|凭证|一次性|动态码|卡号|卡號|安全码
パスワード|暗証番号|パスフレーズ|秘密鍵|認証コード|確認コード|ワンタイム|リカバリーコード|復元フレーズ|シードフレーズ|ニーモニック|トークン|資格情報|シークレット|合言葉|合い言葉|カード番号|セキュリティコード|バックアップコード|アクセスキー|apiキー
`;
/** Short ones, as a word of its own. */
const SHORT_WORDS = `
pass|pwd|pin|pins|otp|totp|hotp|cvv|cvc|cvv2|cvc2|iban|ssn|tan|nip|seed|clave|claves|senha|senhas|hasło|hasła|hasłem|jeton|пин|pinコード|pin码
`;

const toParts = (text: string): string[] =>
  text
    .trim()
    .split(/[|\n]/)
    .map((word) => toSkeleton(word).replaceAll(/[.*+?^${}()[\]\\]/g, String.raw`\$&`))
    .map((word) => word.replaceAll(/[ ']/g, String.raw`[\s\p{P}]{0,3}`));

const FOUND = new RegExp(
  `${toParts(WORDS).join('|')}|(?<![\\p{L}\\p{N}])(?:${toParts(SHORT_WORDS).join('|')})(?![\\p{L}\\p{N}])`,
  'u',
);
/** Digits and marks in place of letters. */
const INSTEAD: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };

/** True for a text that names a secret, in one of eleven languages, also in letters that only look alike. */
export function namesSecret(text: string): boolean {
  const plain = toSkeleton(text);
  return FOUND.test(plain) || FOUND.test(plain.replaceAll(/[013457@$]/g, (sign) => INSTEAD[sign]!));
}
