/** Custom domains of a stage. */
import { afterAll, describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { resourcesOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const certificateIn = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/0a1b-2c3d`;
const GIVEN = {
  files: { name: 'files.example.com', certificate: certificateIn('eu-central-1') },
  agents: { name: 'agents.example.com', certificate: certificateIn('us-east-1') },
  sockets: { name: 'ws.example.com', certificate: certificateIn('eu-central-1') },
};
type DomainOptions = NonNullable<NonNullable<Parameters<typeof settingsOf>[1]>['domains']>;
const settingsWith = (domains: DomainOptions) => settingsOf('dev', { domains });
const template = templateWith(folder.path, { domains: settingsWith(GIVEN).domains });
const plain = templateWith(folder.path, {});
const outputsOf = (from: typeof template): Record<string, Any> => from.findOutputs('*');
const apiOf = (kind: string) =>
  Object.entries(resourcesOf(template, 'AWS::ApiGatewayV2::Api')).find(([id]) => id.startsWith(kind))?.[0];

describe('a stage with its own domain names', () => {
  it('has one for the whole Files & Tasks API, and one for the WebSocket at the specified path', () => {
    const mappings = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::ApiMapping')).map(
      (each) => each.Properties,
    );
    expect(mappings).toEqual([
      expect.objectContaining({ ApiId: { Ref: apiOf('FilesAndTasks') } }),
      expect.objectContaining({ ApiId: { Ref: apiOf('Socket') }, ApiMappingKey: 'ws/tasks' }),
    ]);
    expect(mappings[0]).not.toHaveProperty('ApiMappingKey');
    const names = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::DomainName')).map((each) => each.Properties);
    expect(names).toEqual(
      [GIVEN.files, GIVEN.sockets].map(({ name, certificate }) => ({
        DomainName: name,
        DomainNameConfigurations: [
          { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
        ],
      })),
    );
  });

  it('has one for the edge of the agent API, whose origins keep the names of API Gateway', () => {
    const [edge] = Object.values(resourcesOf(template, 'AWS::CloudFront::Distribution'));
    const config = edge?.Properties.DistributionConfig as Any;
    expect(config.Aliases).toEqual(['agents.example.com']);
    expect(config.ViewerCertificate).toMatchObject({
      AcmCertificateArn: GIVEN.agents.certificate,
      MinimumProtocolVersion: 'TLSv1.2_2021',
      SslSupportMethod: 'sni-only',
    });
    expect(JSON.stringify(config.Origins)).not.toContain('example.com');
  });

  it('outputs the URLs that callers use, and the target of each DNS name', () => {
    const outputs = outputsOf(template);
    expect(outputs.FilesAndTasksBaseUrl.Value).toBe('https://files.example.com/api/v1');
    expect(outputs.AgentsRootUrl.Value).toBe('https://agents.example.com');
    expect(outputs.AgentsWsUrl.Value).toBe('wss://ws.example.com');
    expect(JSON.stringify(outputs.SocketsUrl.Value)).toContain('execute-api');
    const targets = Object.keys(outputs).filter((name) => name.endsWith('DomainTarget'));
    expect(targets.sort()).toEqual(['AgentsDomainTarget', 'FilesAndTasksDomainTarget', 'SocketDomainTarget']);
  });

  it('requires of connections no header that only the edge adds', () => {
    const all = Object.entries(resourcesOf(template, 'AWS::Lambda::Function'));
    const sockets = all.filter(([id]) => id.startsWith('SocketFunction'));
    expect(sockets).toHaveLength(1);
    expect(JSON.stringify(sockets)).not.toContain('ERRAND_ORIGIN_SECRET');
  });
});

it('uses the host names of AWS if none is set', () => {
  expect(resourcesOf(plain, 'AWS::ApiGatewayV2::DomainName')).toEqual({});
  expect(resourcesOf(plain, 'AWS::ApiGatewayV2::ApiMapping')).toEqual({});
  expect(Object.keys(outputsOf(plain)).filter((name) => name.endsWith('DomainTarget'))).toEqual([]);
  const empty = { name: '', certificate: '' };
  expect(settingsWith({ files: empty, agents: empty, sockets: {} }).domains).toEqual({});
});

it.each<[DomainOptions, string]>([
  [{ files: { name: 'files', certificate: GIVEN.files.certificate } }, 'files-domain is "files"'],
  [{ files: { name: 'https://a.org', certificate: GIVEN.files.certificate } }, 'files-domain is "https://a.org"'],
  [{ sockets: { ...GIVEN.sockets, name: 'ws.example.com/ws' } }, 'sockets-domain is "ws.example.com/ws"'],
  [{ sockets: { name: 'ws.example.com' } }, 'sockets-certificate is ""'],
  [{ sockets: { certificate: GIVEN.sockets.certificate } }, 'sockets-domain is ""'],
  [{ files: { name: 'a.example.com', certificate: 'arn:aws:acm:x' } }, 'files-certificate is "arn:aws:acm:x"'],
  [
    { agents: { name: 'a.example.com', certificate: certificateIn('eu-west-1') } },
    'agents-certificate is of eu-west-1',
  ],
  [
    { files: GIVEN.files, sockets: { ...GIVEN.sockets, name: GIVEN.files.name } },
    'sockets-domain is files.example.com',
  ],
])('rejects %j with one line', (domains, line) => {
  expect(() => settingsWith(domains)).toThrow(line);
  expect(() => settingsWith(domains)).not.toThrow(/\n/);
});
