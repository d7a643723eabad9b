/** The region's own endpoint of a service. The domain is that of the region's partition. */
import type { ServiceName } from './account.ts';

const DOMAINS: [region: RegExp, domain: string][] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
];

export function regionHost(service: ServiceName, region: string): string {
  const [, domain] = DOMAINS.find(([of]) => of.test(region)) ?? ['', 'amazonaws.com'];
  return `${service}.${region}.${domain}`;
}
