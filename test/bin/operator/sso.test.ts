import { expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { setIssuer } from '../../../shared/accounts/issuers.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();
const issuer = 'https://login.acme.org';
const place = ['--issuer', issuer, '--audience', 'errand', '--keys', `${issuer}/jwks`];

it('sets, shows, removes and audits the issuer of an organization', async () => {
  const shown = { organization: acme().id, issuer, audience: 'errand', keys: `${issuer}/jwks`, admits: false };
  expect(await json(['sso', 'set', 'Acme', ...place])).toMatchObject(shown);
  expect(await json(['sso', 'set', acme().id, ...place, '--admit'])).toMatchObject({ admits: true });
  expect(await json(['sso', 'show', 'Acme'])).toMatchObject({ ...shown, admits: true });
  expect(await json(['sso', 'remove', 'Acme'])).toMatchObject({ ...shown, admits: true, state: 'removed' });
  await refuses(['sso', 'show', 'Acme'], /Acme has no SSO: set it up with "npx errand sso set"/);
  await refuses(['sso', 'remove', 'Acme'], /Acme has no SSO/);
  expect((await json(['audit', 'Acme'])).map(({ act }: { act: string }) => act)).toEqual([
    'sso remove',
    'sso set',
    'sso set',
    'org create',
  ]);
});

it('allows an issuer and an audience for only one organization', async () => {
  await json(['sso', 'set', 'Acme', ...place]);
  await json(['org', 'create', 'Other']);
  await refuses(['sso', 'set', 'Other', ...place], /belong to another organization already/);
  await json(['sso', 'remove', 'Acme']);
  expect(await json(['sso', 'set', 'Other', ...place])).toMatchObject({ issuer });
});

it.each([
  [['sso', 'set', 'Nobody', ...place], /There is no organization "Nobody"/],
  [['sso', 'set', 'Acme', ...place, '--issuer', 'http://login.acme.org'], /The issuer must be an HTTPS URL/],
  [['sso', 'set', 'Acme', ...place, '--keys', 'jwks.json'], /The keys must be an HTTPS URL/],
  [['sso', 'set', 'Acme', ...place, '--keys', 'https://user:pw@login.acme.org/jwks'], /The keys .* without a user/],
  [['sso', 'set', 'Acme', ...place, '--issuer', 'https://user:pw@login.acme.org'], /The issuer .* without a user/],
  [['sso', 'set', 'Acme', ...place, '--audience', ''], /The audience has 1 to 512 visible ASCII characters/],
])('refuses %j in one line', async (args, remedy) => {
  await refuses(args, remedy);
  expect((await run(['audit'])).stdout).not.toContain('pw');
});

it('sends keys of private and local networks through the guard, unless the operator allows them', async () => {
  for (const url of [
    'https://10.1.2.3',
    'https://127.0.0.1:4443',
    'https://idp.internal',
    'https://login.acme.org:5432',
  ]) {
    const inside = ['--issuer', url, '--audience', 'errand', '--keys', `${url}/jwks`];
    await refuses(['sso', 'set', 'Acme', ...inside], /must be a public HTTPS URL; add --allow-private/);
    expect(await json(['sso', 'set', 'Acme', ...inside, '--allow-private'])).toMatchObject({ allowsPrivate: true });
  }
});

it.each([
  ['https://169.254.169.254/jwks', /link-local or metadata/],
  ['https://[fe80::1]/jwks', /link-local or metadata/],
  ['https://[fd00:ec2::254]/jwks', /link-local or metadata/],
  ['https://[::ffff:169.254.169.254]/jwks', /link-local or metadata/],
  ['https://metadata.google.internal/jwks', /link-local or metadata/],
  ['https://METADATA.google.internal./jwks', /link-local or metadata/],
  ['https://instance-data.ec2.internal/jwks', /link-local or metadata/],
  ['https://10.1.2.3:22/jwks', /port 443 or one from 1024 on/],
])('never fetches keys from %s', async (url, reason) => {
  await refuses(['sso', 'set', 'Acme', ...place, '--keys', url, '--allow-private'], reason);
});

it('stores a maximum age of ID tokens', async () => {
  expect(await json(['sso', 'set', 'Acme', ...place, '--max-age', '600'])).toMatchObject({ maxAgeSeconds: 600 });
  await refuses(['sso', 'set', 'Acme', ...place, '--max-age', '59'], /--max-age takes 60 to/);
  await refuses(['sso', 'set', 'Acme', ...place, '--max-age', 'long'], /--max-age takes a whole number/);
  await refuses(['sso', 'set', 'Acme', ...place, '--max-age', '-5'], /--max-age takes a whole number, not "-5"/);
});

it('warns in doctor of an issuer on a private URL that was set before it had to be allowed', async () => {
  const { table, clock, close } = openLocal({ ERRAND_STATE: state() });
  const inside = 'https://10.1.2.3';
  await setIssuer({ table, clock }, acme().id, {
    issuer: inside,
    audience: 'a',
    keysAddress: `${inside}/jwks`,
    admits: false,
  });
  close();
  const [warning] = (await json(['doctor'])).ssoWarnings;
  expect(warning).toMatch(/The SSO issuer of "Acme" is not public .*--allow-private/);
  await json([
    'sso',
    'set',
    'Acme',
    '--issuer',
    inside,
    '--audience',
    'a',
    '--keys',
    `${inside}/jwks`,
    '--allow-private',
  ]);
  expect((await json(['doctor'])).ssoWarnings).toEqual([]);
});

it('reports which options are missing', async () => {
  const done = await run(['sso', 'set', 'Acme', '--issuer', issuer]);
  expect([done.status, done.stderr]).toEqual([2, expect.stringMatching(/^Missing option: --audience\./)]);
});
