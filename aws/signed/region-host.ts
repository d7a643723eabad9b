/** The endpoint of a service in a region: the partition's domain, and its FIPS or dual-stack variant where it is wanted. */
import { Problem } from '../../shared/core/problem.ts';

export type EndpointVariant = { fips: boolean; dualStack: boolean };

const PLAIN: EndpointVariant = { fips: false, dualStack: false };

type Partition = { domain: string; dualStackDomain: string };

const COMMERCIAL: Partition = { domain: 'amazonaws.com', dualStackDomain: 'api.aws' };
const PARTITIONS: [region: RegExp, partition: Partition][] = [
  [/^cn-/, { domain: 'amazonaws.com.cn', dualStackDomain: 'api.amazonwebservices.com.cn' }],
  [/^eusc-/, { domain: 'amazonaws.eu', dualStackDomain: 'api.amazonwebservices.eu' }],
  [/^us-iso-/, { domain: 'c2s.ic.gov', dualStackDomain: 'api.aws.ic.gov' }],
  [/^us-isob-/, { domain: 'sc2s.sgov.gov', dualStackDomain: 'api.aws.scloud' }],
  [/^eu-isoe-/, { domain: 'cloud.adc-e.uk', dualStackDomain: 'api.cloud-aws.adc-e.uk' }],
  [/^us-isof-/, { domain: 'csp.hci.ic.gov', dualStackDomain: 'api.aws.hci.ic.gov' }],
];

/** In GovCloud these hosts are FIPS endpoints under their plain names. */
const FIPS_BY_PLAIN_NAME = new Set(['dynamodb', 'sqs']);

export function regionHost(service: string, region: string, { fips, dualStack }: EndpointVariant = PLAIN): string {
  if (fips && service === 's3' && region.startsWith('cn-')) {
    throw new Problem(
      'badSetting',
      `S3 has no FIPS endpoint in ${region}; unset AWS_USE_FIPS_ENDPOINT or choose another region.`,
    );
  }
  const [, partition] = PARTITIONS.find(([of]) => of.test(region)) ?? [/^/, COMMERCIAL];
  const isPlainName = region.startsWith('us-gov-') && FIPS_BY_PLAIN_NAME.has(service) && !dualStack;
  const name = fips && !isPlainName ? `${service}-fips` : service;
  // S3 has its dual-stack hosts under the partition's ordinary domain.
  if (service === 's3') return `${name}.${dualStack ? 'dualstack.' : ''}${region}.${partition.domain}`;
  const isOrdinary = !dualStack || (service === 'secretsmanager' && hasDualStackSecrets(partition, fips));
  return `${name}.${region}.${isOrdinary ? partition.domain : partition.dualStackDomain}`;
}

/** The ordinary hosts of Secrets Manager answer over both protocols here. */
const hasDualStackSecrets = ({ domain }: Partition, fips: boolean): boolean =>
  domain === COMMERCIAL.domain || (domain === 'amazonaws.com.cn' && !fips);
