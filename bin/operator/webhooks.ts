/** `errand webhooks`: a receiver to try webhooks out with. */
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { currentSecrets } from '../../shared/accounts/webhook-secrets.ts';
import { Problem } from '../../shared/core/problem.ts';
import { findOrganization } from './find-organization.ts';
import { type Arrival, startReceiver } from './receiver.ts';
import { jsonOf, type ShownValue, textOf, timeOf } from './show.ts';
import type { CommandLine, Noun, Operator } from './verb.ts';
import { wholeNumber } from './whole-number.ts';

const MOST_PORT = 65_535;

async function listen(operator: Operator, { args: [org], options }: CommandLine): Promise<ShownValue> {
  const { port: asked = '', secret, json } = options;
  const { clock, out, untilStopped } = operator;
  const wanted = wholeNumber('port', asked);
  if (wanted > MOST_PORT) throw new Problem('invalid', `--port is at most ${MOST_PORT}.`);
  const only = org === undefined ? undefined : (await findOrganization(operator.table, org)).id;
  const secrets = async () => (secret === undefined ? secretsOf(operator, only) : [secret]);
  const count = { verified: 0, refused: 0 };
  const arrived = (arrival: Arrival) => {
    count[arrival.signatures.length > 0 ? 'verified' : 'refused']++;
    const shown = { report: arrivalShown(arrival) };
    out(json ? jsonOf(shown) : `${textOf(shown)}\n`);
  };
  const { port, stop } = await startReceiver({ port: wanted, clock, secrets, arrived }).catch((cause) => {
    throw new Problem('badSetting', `Port ${wanted} cannot be used (${cause.code}): give another one.`, { cause });
  });
  if (!json) out(`Receiving webhooks at http://127.0.0.1:${port}/ until Ctrl-C.\n`);
  await untilStopped();
  stop();
  return { report: { port, ...count } };
}

/** Of one organization, or of every one. */
async function secretsOf(operator: Operator, only: string | undefined): Promise<string[]> {
  const ids = only === undefined ? (await listOrganizations(operator.table)).map(({ id }) => id) : [only];
  const found = await Promise.all(ids.map((id) => currentSecrets(operator, id)));
  return found.flat().map(({ secret }) => secret);
}

const arrivalShown = ({ at, path, id, signatures, body }: Arrival) => ({
  at: timeOf(at),
  path,
  'webhook-id': id,
  verified: signatures.length > 0 ? signatures : 'no signature holds: answered 401',
  body,
});

export const webhooks: Noun = {
  listen: {
    usage: 'listen [ORG] --port N [--secret WHSEC]',
    about: 'receives webhooks on this machine, verifies them and shows them, until Ctrl-C',
    args: [0, 1],
    options: ['secret'],
    needs: ['port'],
    founds: true,
    run: listen,
  },
};
