/** The console of a deployed stage: its page, its files, and no path that hides a route of the APIs. */
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { agents } from '../../functions/agents/api.ts';
import { login } from '../../functions/agents/login.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import { consolePage } from '../../infra/constructs/console-page.ts';
import { DOCS_INDEX } from '../../infra/constructs/edge.ts';
import { CONSOLE_CONFIG, CONSOLE_FOLDER, CONSOLE_PAGE, DOCS_POLICY } from '../../shared/core/console-page.ts';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { resourcesOf, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const HTML = `<meta name="errand" content="${CONSOLE_CONFIG}">`;
const places = {
  filesUrl: 'https://files.acme.org',
  bucketUrls: ['https://bytes.s3.aws.com', 'https://uploads.s3.aws.com'],
};

function answer(method: string, socketsUrl?: string): Any {
  const code = consolePage(HTML, { ...places, socketsUrl });
  expect(code.length).toBeLessThan(10_240);
  const event = {
    viewer: { ip: '192.0.2.1' },
    request: { method, uri: '/', headers: { host: { value: 'e.acme.org' } } },
  };
  return new Function('event', `${code}; return handler(event);`)(event);
}

const configIn = (page: string) =>
  JSON.parse((/content="(.*)"/.exec(page)?.[1] ?? '').replaceAll('&quot;', '"').replaceAll('&#39;', "'"));

describe('the page', () => {
  it('contains the URLs of the APIs, and its own with the requested host name', () => {
    const { statusCode, headers, body } = answer('GET');
    expect([statusCode, headers['content-type'].value]).toEqual([200, 'text/html; charset=utf-8']);
    expect(configIn(body.data)).toEqual({
      filesUrl: 'https://files.acme.org/api/v1',
      agentsUrl: 'https://e.acme.org',
      wsUrl: 'wss://e.acme.org',
    });
    expect(configIn(answer('GET', 'wss://ws.acme.org').body.data).wsUrl).toBe('wss://ws.acme.org');
  });

  it('may run only its own files, and connect only to the APIs and the buckets', () => {
    const { headers } = answer('GET');
    const policy = headers['content-security-policy'].value;
    expect(policy).toContain(
      `connect-src 'self' ${places.filesUrl} ${places.bucketUrls.join(' ')} wss://e.acme.org; img-src 'self' data: blob:`,
    );
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split('; ')).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers['cache-control'].value).toBe('no-store');
    expect(headers['x-content-type-options'].value).toBe('nosniff');
  });

  it('leaves methods other than GET and HEAD to the API', () => {
    expect(answer('POST')).toMatchObject({ uri: '/', headers: { 'x-errand-viewer': { value: '192.0.2.1' } } });
  });
});

describe('the edge', () => {
  const template: Template = templateOf(folder.path, 'dev');
  const distribution: Any = Object.values(resourcesOf(template, 'AWS::CloudFront::Distribution'))[0];
  const behaviors: Any[] = distribution.Properties.DistributionConfig.CacheBehaviors;

  it('serves the console at paths that no route has', () => {
    const patterns = behaviors.map(({ PathPattern }) => PathPattern);
    expect(patterns).toEqual(['/ws/tasks', CONSOLE_PAGE, `${CONSOLE_FOLDER}*`, '/docs*']);
    const routes = [...filesAndTasks.routes, ...agents.routes, ...login.routes].map(({ path }) => path);
    expect(routes.length).toBeGreaterThan(30);
    for (const path of routes)
      expect(path === CONSOLE_PAGE || path.startsWith(CONSOLE_FOLDER) || path.startsWith('/docs'), path).toBe(false);
  });

  it('serves the files from a bucket that only it can read, after they are uploaded', () => {
    const files = behaviors.find(({ PathPattern }) => PathPattern === `${CONSOLE_FOLDER}*`);
    expect(files.AllowedMethods).toEqual(['GET', 'HEAD']);
    const readers = Object.values(resourcesOf(template, 'AWS::S3::BucketPolicy')).flatMap(({ Properties }) =>
      (Properties.PolicyDocument as Any).Statement.filter(
        ({ Effect, Action }: Any) => Effect === 'Allow' && Action === 's3:GetObject',
      ),
    );
    expect(readers.map(({ Principal }) => Principal)).toEqual([{ Service: 'cloudfront.amazonaws.com' }]);
    const deployments = Object.entries(resourcesOf(template, 'Custom::CDKBucketDeployment'));
    const [id, deployment] = deployments.find(([name]) => /^ConsoleFilled/.test(name)) ?? [];
    expect(deployment?.Properties).toMatchObject({
      DestinationBucketKeyPrefix: 'assets',
      Prune: false,
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
    });
    const pages = Object.entries(template.findResources('AWS::CloudFront::Function')).filter(([name]) =>
      /^EdgePage/.test(name),
    );
    expect(pages.map(([, { DependsOn }]) => DependsOn)).toEqual([expect.arrayContaining([id])]);
  });

  it('lets the documentation run only its own script, and shares the headers of AWS in ephemeral stages', () => {
    const policiesOf = (from: typeof template): Any[] =>
      Object.values(resourcesOf(from, 'AWS::CloudFront::ResponseHeadersPolicy'));
    // An account may have 20 of them.
    expect(policiesOf(template)).toEqual([]);
    expect(behaviors.find(({ PathPattern }) => PathPattern === '/docs*').ResponseHeadersPolicyId).toBe(
      '67f7725c-6f97-4210-82d7-5512b31e9d03',
    );
    const policy = policiesOf(templateOf(folder.path, 'production')).find(
      ({ Properties }) => Properties.ResponseHeadersPolicyConfig.Comment === 'The documentation',
    );
    const { ContentSecurityPolicy } = policy.Properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig;
    expect(ContentSecurityPolicy.ContentSecurityPolicy).toBe(DOCS_POLICY);
    expect(DOCS_POLICY).not.toMatch(/unsafe|\*/);
  });

  it('serves the documentation from the same bucket, cached for five minutes, and shows the index of a folder', () => {
    const docs = behaviors.find(({ PathPattern }) => PathPattern === '/docs*');
    expect(docs.AllowedMethods).toEqual(['GET', 'HEAD']);
    const [, deployment] =
      Object.entries(resourcesOf(template, 'Custom::CDKBucketDeployment')).find(([name]) => /Docs/.test(name)) ?? [];
    expect(deployment?.Properties).toMatchObject({
      DestinationBucketKeyPrefix: 'docs',
      SystemMetadata: { 'cache-control': 'public, max-age=300' },
    });
    const at = (uri: string) => new Function('event', `${DOCS_INDEX}; return handler(event);`)({ request: { uri } });
    expect(at('/docs')).toMatchObject({ statusCode: 302, headers: { location: { value: '/docs/' } } });
    expect(at('/docs/')).toEqual({ uri: '/docs/index.html' });
    expect(at('/docs/adr/')).toEqual({ uri: '/docs/adr/index.html' });
    expect(at('/docs/guides/files.html')).toEqual({ uri: '/docs/guides/files.html' });
  });

  it('allows its page to call the Files & Tasks API', () => {
    const [, files] =
      Object.entries(resourcesOf(template, 'AWS::Lambda::Function')).find(([id]) => id.startsWith('FilesAndTasks')) ??
      [];
    expect(JSON.stringify(((files?.Properties.Environment ?? {}) as Any).Variables.ERRAND_ORIGINS)).toContain(
      'EdgeDistribution',
    );
  });
});
