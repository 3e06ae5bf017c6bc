// Keys and signatures against those of Node: each algorithm in both directions. TAP.
// Argument: the program jose-tool.
import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'

const tool = (input, ...args) => spawnSync(process.argv[2], args, { input, encoding: 'utf8' })
const b64 = (x) => Buffer.from(x).toString('base64url')
const digest = (text) => crypto.createHash('sha256').update(text).digest('base64url')
let n = 0
let failed = 0
const check = (name, ok, why = '') => {
  console.log(`${ok ? 'ok' : 'not ok'} ${++n} - ${name}`)
  if (!ok) {
    failed++
    console.log(`# ${String(why).replaceAll('\n', '\n# ')}`)
  }
}

const pss = (saltLength) => ({ padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength })
const raw = { dsaEncoding: 'ieee-p1363' }
// algorithm: digest, options, kind of key
const algs = {
  ES256: ['sha256', raw, ['ec', { namedCurve: 'P-256' }], 'sec1'],
  ES384: ['sha384', raw, ['ec', { namedCurve: 'P-384' }], 'sec1'],
  ES512: ['sha512', raw, ['ec', { namedCurve: 'P-521' }], 'sec1'],
  EdDSA: [null, {}, ['ed25519', {}], 'pkcs8'],
  RS256: ['sha256', {}, ['rsa', { modulusLength: 2048 }], 'pkcs1'],
  RS512: ['sha512', {}, ['rsa', { modulusLength: 3072 }], 'pkcs1'],
  PS256: ['sha256', pss(32), ['rsa', { modulusLength: 2048 }], 'pkcs1'],
  PS384: ['sha384', pss(48), ['rsa', { modulusLength: 2048, publicExponent: 3 }], 'pkcs1'],
  PS512: ['sha512', pss(64), ['rsa', { modulusLength: 2048 }], 'pkcs1'],
}
const members = { EC: ['crv', 'kty', 'x', 'y'], OKP: ['crv', 'kty', 'x'], RSA: ['e', 'kty', 'n'] }
const canonical = (jwk) => JSON.stringify(Object.fromEntries(members[jwk.kty].map((m) => [m, jwk[m]])))

const verifies = (alg, token, key) => {
  const [hash, options] = algs[alg]
  const [head, claims, signature] = token.split('.')
  return crypto.verify(hash, Buffer.from(`${head}.${claims}`), { key, ...options }, Buffer.from(signature, 'base64url'))
}
const token = (alg, key, options = algs[alg][1]) => {
  const input = `${b64(JSON.stringify({ alg }))}.${b64('{"a":1}')}`
  return `${input}.${b64(crypto.sign(algs[alg][0], Buffer.from(input), { key, ...options }))}`
}

for (const [alg, [, , generate, traditional]] of Object.entries(algs)) {
  const { publicKey, privateKey } = crypto.generateKeyPairSync(...generate)
  const jwk = canonical(publicKey.export({ format: 'jwk' }))
  const forms = {
    pkcs8: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    [traditional]: privateKey.export({ format: 'pem', type: traditional }),
    jwk: JSON.stringify(privateKey.export({ format: 'jwk' })),
  }
  if (generate[0] === 'rsa') {
    const { kty, n, e, d } = privateKey.export({ format: 'jwk' })
    forms['jwk without factors'] = JSON.stringify({ kty, n, e, d })
  }
  for (const [form, text] of Object.entries(forms)) {
    const run = tool(text, 'sign', alg)
    const [made, ours, thumbprint] = run.stdout.split('\n')
    check(`${alg}: our signature with a key as ${form}`, run.status === 0 && verifies(alg, made, publicKey), run.stderr)
    check(`${alg}: our public key of ${form}`, ours === jwk && thumbprint === digest(jwk), ours)
  }
  const good = token(alg, privateKey)
  const run = tool(good, 'verify', jwk)
  check(`${alg}: their signature`, run.status === 0, run.stderr)
  const other = crypto.generateKeyPairSync(...generate).publicKey.export({ format: 'jwk' })
  check(`${alg}: another key`, tool(good, 'verify', JSON.stringify(other)).status === 1)
  check(`${alg}: other claims`, tool(good.replace(b64('{"a":1}'), b64('{"a":2}')), 'verify', jwk).status === 1)
  if (generate[0] === 'ec')
    check(`${alg}: DER`, tool(token(alg, privateKey, {}), 'verify', jwk).status === 1)
  if (alg.startsWith('PS'))
    check(`${alg}: salt of another length`, tool(token(alg, privateKey, pss(20)), 'verify', jwk).status === 1)
  const hmac = `${b64('{"alg":"HS256"}')}.${b64('{"a":1}')}`
  const forged = crypto.createHmac('sha256', publicKey.export({ format: 'pem', type: 'spki' })).update(hmac).digest('base64url')
  check(`${alg}: HS256 with the public key as secret`, tool(`${hmac}.${forged}`, 'verify', jwk).status === 1)
}

const proof = tool('', 'proof').stdout.trim()
const header = JSON.parse(Buffer.from(proof.split('.')[0], 'base64url'))
const claims = JSON.parse(Buffer.from(proof.split('.')[1], 'base64url'))
check('proof: signature', verifies('ES256', proof, crypto.createPublicKey({ format: 'jwk', key: header.jwk })), proof)
check('proof: header', header.typ === 'dpop+jwt' && header.alg === 'ES256' && !header.jwk.d)
check('proof: claims', claims.htu === 'https://rs.example/mcp' && claims.htm === 'GET' && claims.ath === digest('token'))

console.log(`1..${n}`)
process.exit(failed ? 1 : 0)
