// Names of fields, options and parameters that look as if they named a secret. What they name is never shown and never written.

const listed = (...lines: string[]) => new Set(lines.flatMap((line) => line.split(' ')))

/** As a word of its own, in what programmers write, of one or several: `pwd`, `userPin`, `OTP_CODE`, `pins`. */
const PASSWORDS = listed(
  'pass passwd pw pwd passcode passkey passwort kennwort geheim geheimnis geheimzahl geheimzahlen parole senha clave mdp parol haslo hasło heslo jelszo',
  'parola lozinka wachtwoord wachtwoorden salasana sifre sifra pin mpin tpin vpin epin pinno пин ピン puk otp totp hotp mfa tfa tan mtan cvc cvv cvn csc',
)

const WORDS = new Set([
  ...PASSWORDS,
  ...listed(
    'iban bic swift ssn nin nino bsn pesel cpf cnpj curp nif nie dni tin ein',
    'passport ausweis license licence auth bearer jwt jws jwe csrf xsrf nonce salt seed mnemonic hmac sig sign pem cert sid',
    'card karte carte tarjeta account acct konto kontonummer compte cuenta conto routing wallet',
    'secret secrets token tokens cookie cookies session sessions credential credentials private signature signed',
  ),
])

/** Wherever they stand in a name: `dbpassword`, `x-api-key`. */
const PARTS =
  /passwor|passwd|passphrase|passcode|kennwort|contrasen|motdepasse|losenord|adgangskode|secret|token|credential|cookie|authori[sz]|authenti|oauth|bearer|session|signature|iban|twofactor|creditcard|cardn|pincode|pinnum|socialsec|(sort|security|verification|access|auth|recovery|backup|activation|sms|login|reset|unlock|door|gate|alarm)code|codigo(de)?seguridad|(api|access|private|secret|encryption|master|signing|license)keys?\b|парол|секрет|密码|密碼|口令|パスワード|비밀번호|暗証番号|κωδικοσ|κωδικος|סיסמה|كلمةالمرور|كلمة المرور|รหัสผ่าน/

/** `accountKey` and `db_pass`, but neither `key` nor `monkey`. */
const ENDS = /.[ ](key|keys|hash|phrase)$/

export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return words.some((word) => WORDS.has(word)) || ENDS.test(words.join(' ')) || namesPassword(words)
}

/** Whether a text that has such a name in it, as `password=...`, holds a password after it. Words that mean something else in texts, too, do not. */
export function isPasswordName(name: string): boolean {
  return namesPassword(wordsOf(name))
}

function namesPassword(words: readonly string[]): boolean {
  return (
    words.some((word) => PASSWORDS.has(word) || PASSWORDS.has(word.replace(/s$/, ''))) ||
    PARTS.test(words.join('')) ||
    PARTS.test(words.join(' ')) ||
    /(pwd|passwd|pass)$/.test(words.at(-1) ?? '')
  )
}

/** `DB_userPin2` is made of "db", "user" and "pin". */
function wordsOf(name: string): string[] {
  return name
    .replace(/2fa/gi, 'mfa')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '') // accents; of the marks of other scripts words are made
    .normalize('NFC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter(Boolean)
}
