/** A name of one's own before a stage of the gateway. Its record at the name's registrar is the operator's to make. */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName, type IStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import type { Domain } from '../domains.ts';

type OwnDomainOptions = {
  domain: Domain;
  apiId: string;
  stage: IStage;
  /** The path behind the name; without one it is the whole of it. */
  key?: string;
};

export class OwnDomain extends Construct {
  constructor(scope: Construct, id: string, { domain: { name, certificateArn }, apiId, stage, key }: OwnDomainOptions) {
    super(scope, id);
    const own = new CfnDomainName(this, 'Name', {
      domainName: name,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    const mapping = new CfnApiMapping(this, 'Mapping', {
      apiId,
      domainName: own.ref,
      stage: stage.stageName,
      ...(key === undefined ? {} : { apiMappingKey: key }),
    });
    mapping.node.addDependency(stage);
    new CfnOutput(Stack.of(this), `${scope.node.id}DomainTarget`, {
      description: `Where ${name} has to point to, by a CNAME or an alias record.`,
      value: own.attrRegionalDomainName,
    });
  }
}
