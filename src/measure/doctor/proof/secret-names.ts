// Names of fields, options and parameters that look as if they named a secret. What they name is never shown and never written.

/** As a word of its own, in what programmers write: `pwd`, `userPin`, `OTP_CODE`. */
const WORDS = new Set(
  [
    'pass passwd pw pwd passcode passkey passwort kennwort geheim geheimnis parole senha clave mdp parol haslo wachtwoord salasana sifre',
    'pin puk otp totp hotp mfa tfa tan mtan cvc cvv cvn csc iban bic swift ssn nin nino bsn pesel cpf cnpj curp nif nie dni tin ein',
    'passport ausweis license licence auth bearer jwt jws jwe csrf xsrf nonce salt seed mnemonic hmac sig sign pem cert sid',
    'card karte carte tarjeta account acct konto kontonummer compte cuenta conto routing wallet',
    'secret secrets token tokens cookie cookies session sessions credential credentials private signature signed',
  ].flatMap((line) => line.split(' ')),
)

/** Wherever they stand in a name: `dbpassword`, `x-api-key`. */
const PARTS =
  /passwor|passwd|passphrase|passcode|kennwort|contrasen|motdepasse|losenord|adgangskode|secret|token|credential|cookie|authori[sz]|authenti|oauth|bearer|session|signature|iban|creditcard|cardn|pincode|pinnum|socialsec|(sort|security|verification|access|auth|recovery|backup|activation)code|(api|access|private|secret|encryption|master|signing|license)keys?\b|парол|секрет|密码|密碼|口令|パスワード|비밀번호/

/** `accountKey` and `db_pass`, but neither `key` nor `monkey`. */
const ENDS = /.[ ](key|keys|hash|phrase)$/

export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return (
    words.some((word) => WORDS.has(word)) ||
    PARTS.test(words.join('')) ||
    PARTS.test(words.join(' ')) ||
    ENDS.test(words.join(' ')) ||
    /(pwd|passwd|pass)$/.test(words.at(-1) ?? '')
  )
}

/** `DB_userPin2` is made of "db", "user" and "pin". */
function wordsOf(name: string): string[] {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean)
}

/** What is a secret by its form alone: keys and tokens that services give out, and passwords in addresses. */
const SECRET_FORM =
  /-----BEGIN [A-Z ]*PRIVATE KEY|\beyJ[\w-]{8,}\.|\b(sk|pk|rk|whsec|gh[opsur]|github_pat|glpat|xox[abpr]|npm|AIza|AKIA|ASIA|SG)[-_.]?[\w-]{12,}|\b(bearer|basic)\s+[\w+/=.-]{6,}|:\/\/[^\s/@]*@/i

export function isSecretText(text: string): boolean {
  return SECRET_FORM.test(text)
}
