/** Hands the requests of an HTTP API to one function. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import {
  type HttpApi,
  HttpIntegrationType,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

// The CDK's own HttpLambdaIntegration permits either each route by itself, which outgrows a function's policy, or
// three parts after the API's id, which are one too many for `$default`.
export class FunctionIntegration extends HttpRouteIntegration {
  private readonly lambda: IFunction;

  constructor(lambda: IFunction) {
    super('Function');
    this.lambda = lambda;
  }

  override bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.lambda.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    };
  }

  permit(api: HttpApi): void {
    const sourceArn = Stack.of(api).formatArn({
      service: 'execute-api',
      resource: api.apiId,
      resourceName: '*',
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    const principal = new ServicePrincipal('apigateway.amazonaws.com');
    this.lambda.addPermission(`${this.lambda.node.scope?.node.id}FromApi`, { principal, sourceArn, scope: api });
  }
}
