/** The host name of a gateway, and its custom domain. */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName, type IStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import type { Domain } from '../settings.ts';

export const gatewayHost = (scope: Construct, apiId: string): string => {
  const { region, urlSuffix } = Stack.of(scope);
  return `${apiId}.execute-api.${region}.${urlSuffix}`;
};

type OwnDomainOptions = {
  domain: Domain;
  apiId: string;
  stage: IStage;
  /** The path of the API under the domain; if absent, the API is at its root. */
  key?: string;
};

/** A custom domain for a stage of a gateway. The operator creates its DNS record. */
export class OwnDomain extends Construct {
  constructor(scope: Construct, id: string, { domain: { name, certificateArn }, apiId, stage, key }: OwnDomainOptions) {
    super(scope, id);
    const domainName = new CfnDomainName(this, 'Name', {
      domainName: name,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    const mapping = new CfnApiMapping(this, 'Mapping', {
      apiId,
      domainName: domainName.ref,
      stage: stage.stageName,
      ...(key === undefined ? {} : { apiMappingKey: key }),
    });
    mapping.node.addDependency(stage);
    new CfnOutput(Stack.of(this), `${scope.node.id}DomainTarget`, {
      description: `Where ${name} has to point to, by a CNAME or an alias record.`,
      value: domainName.attrRegionalDomainName,
    });
  }
}
