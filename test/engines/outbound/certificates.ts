/** Makes certificates and their authorities at run time, so that the repository has no keys and none expire. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { bits, explicit, implicit, instant, octets, oid, positive, sequence, set, small, utf8, yes } from './der.ts';

export type Pair = { cert: string; key: string };
type Authority = { name: string; key: KeyObject; cert: string };
type Wanted = { for: readonly string[]; until?: Date };

const DAY_MS = 86_400_000;
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const SUBJECT_ALT_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';

export function authority(name: string): Authority & { issue(wanted: Wanted): Pair } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const constraints = sequence(oid(BASIC_CONSTRAINTS), yes(), octets(sequence(yes())));
  const cert = certificate({ name, issuer: name, publicKey, signer: privateKey, extension: constraints });
  return { name, key: privateKey, cert, issue: (wanted) => issued({ name, key: privateKey, cert }, wanted) };
}

function issued(by: Authority, { for: hosts, until }: Wanted): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = hosts.map((host) =>
    isIPv4(host) ? implicit(7, Buffer.from(host.split('.').map(Number))) : implicit(2, Buffer.from(host)),
  );
  const extension = sequence(oid(SUBJECT_ALT_NAME), octets(sequence(...names)));
  const of = { name: hosts[0] ?? '', issuer: by.name, publicKey, signer: by.key, extension };
  const cert = certificate(until ? { ...of, until } : of);
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

type Content = {
  name: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  extension: Uint8Array;
  until?: Date;
};

function certificate({ name, issuer, publicKey, signer, extension, until }: Content): string {
  const end = until ?? new Date(Date.now() + DAY_MS);
  const toSign = sequence(
    explicit(0, small(2)),
    positive(randomBytes(8)),
    ECDSA_SHA256,
    nameSequence(issuer),
    sequence(instant(new Date(end.getTime() - 2 * DAY_MS)), instant(end)),
    nameSequence(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(extension)),
  );
  const whole = sequence(toSign, ECDSA_SHA256, bits(sign('sha256', toSign, signer)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const nameSequence = (name: string): Buffer => sequence(set(sequence(oid('2.5.4.3'), utf8(name))));
