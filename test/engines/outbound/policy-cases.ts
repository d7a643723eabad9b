/** Verdicts of the other policies: local webhooks, an operator's origins, sources on this machine. */
import type { RefusalReason } from '../../../engines/outbound/failure.ts';
import type { Reach } from '../../../engines/outbound/ssrf-policy.ts';
import type { Guard } from './guard.ts';

type Maker = Pick<Guard, 'publicPolicy' | 'localWebhookPolicy' | 'operatorPolicy'>;
type PolicyCase = readonly [policy: keyof ReturnType<typeof policiesOf>, address: string, says: Reach | RefusalReason];

const ownHosts = ['127.0.0.1:4000', 'localhost:4000'];

export const policiesOf = ({ publicPolicy, localWebhookPolicy, operatorPolicy }: Maker) => ({
  plain: publicPolicy({ ownHosts }),
  webhook: localWebhookPolicy({ ownHosts }),
  operator: operatorPolicy({ origins: ['http://10.0.0.9:11434/v1', 'https://models.customer-a.com'] }),
  source: publicPolicy({ ownHosts, allowSources: ['https://127.0.0.1:4443'] }),
});

export const POLICY_CASES: readonly PolicyCase[] = [
  ['plain', 'http://127.0.0.1:5000/hook', 'scheme'],
  ['plain', 'https://127.0.0.1:4443/a', 'address'],
  ['webhook', 'http://127.0.0.1:5000/hook', 'loopback'],
  ['webhook', 'http://localhost:5000/hook?a=1', 'loopback'],
  ['webhook', 'http://LOCALHOST:80', 'loopback'],
  ['webhook', 'https://hooks.customer-a.com/', 'public'],
  ['webhook', 'http://127.0.0.1:4000/api/v1/tasks', 'own'],
  ['webhook', 'http://localhost:4000/api/v1/tasks', 'own'],
  ['webhook', 'http://127.0.0.1:4000/catch/', 'loopback'],
  ['webhook', 'http://localhost:4000/catch/mine?answer=503', 'loopback'],
  ['webhook', 'http://127.0.0.1:4000/catch', 'own'],
  ['webhook', 'http://127.0.0.1:4000/catch/../api/v1/tasks', 'own'],
  ['webhook', 'http://127.0.0.1:4000/catch/%2e%2e/api/v1/tasks', 'own'],
  ['webhook', 'http://127.0.0.1:4000//catch/', 'own'],
  ['webhook', 'https://127.0.0.1:4000/catch/', 'own'],
  ['plain', 'http://127.0.0.1:4000/catch/', 'own'],
  ['source', 'http://127.0.0.1:4000/catch/', 'own'],
  ['webhook', 'http://127.0.0.1/hook', 'scheme'],
  ['webhook', 'http://localhost/hook', 'scheme'],
  ['webhook', 'http://127.1:5000/', 'scheme'],
  ['webhook', 'http://0x7f000001:5000/', 'scheme'],
  ['webhook', 'http://127.0.0.2:5000/', 'scheme'],
  ['webhook', 'http://[::1]:5000/', 'scheme'],
  ['webhook', 'http://localhost.:5000/', 'scheme'],
  ['webhook', 'http://a.localhost:5000/', 'scheme'],
  ['webhook', 'http://192.168.0.2:5000/', 'scheme'],
  ['webhook', 'http://localhost:5000@hooks.customer-a.com/', 'credentials'],
  ['webhook', 'http://user@localhost:5000/', 'credentials'],
  ['webhook', 'http://hooks.customer-a.com:5000/', 'scheme'],
  ['webhook', 'https://127.0.0.1:5000/', 'address'],
  ['webhook', 'https://localhost:5000/', 'host'],
  ['webhook', 'ftp://localhost:5000/', 'scheme'],
  ['operator', 'http://10.0.0.9:11434/v1/chat', 'anywhere'],
  ['operator', 'https://models.customer-a.com/v1', 'anywhere'],
  ['operator', 'http://10.0.0.9:11435/v1', 'unlisted'],
  ['operator', 'https://10.0.0.9:11434/v1', 'unlisted'],
  ['operator', 'https://files.customer-a.com/', 'unlisted'],
  ['operator', 'http://user@10.0.0.9:11434/', 'credentials'],
  ['source', 'https://127.0.0.1:4443/a.pdf', 'anywhere'],
  ['source', 'https://2130706433:4443/a.pdf', 'anywhere'],
  ['source', 'https://127.0.0.1:4444/a.pdf', 'address'],
  ['source', 'http://127.0.0.1:4443/a.pdf', 'scheme'],
  ['source', 'https://files.customer-a.com/a.pdf', 'public'],
];
