// Platforms that limit CPU time where no file shows it, and how they are recognised: by a variable that they set.

type Env = Readonly<Record<string, string | undefined>>

/** MB of memory with which AWS Lambda gives one CPU (docs.aws.amazon.com/lambda, "Configure Lambda function memory"). */
const LAMBDA_MB_PER_CPU = 1769

const PLATFORMS: readonly { readonly sign: string; readonly told: (env: Env) => string }[] = [
  { sign: 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE', told: lambda },
  {
    sign: 'ECS_CONTAINER_METADATA_URI_V4',
    told: () => 'AWS ECS and Fargate may give this task less (its "cpu" / 1024)',
  },
  { sign: 'K_SERVICE', told: () => 'Google Cloud Run may give this container less' },
  { sign: 'FUNCTIONS_WORKER_RUNTIME', told: () => 'Azure Functions may give this app less' },
  { sign: 'WEBSITE_INSTANCE_ID', told: () => 'Azure App Service may give this app less' },
  { sign: 'DYNO', told: () => 'Heroku may give this dyno a share of these' },
  {
    sign: 'KUBERNETES_SERVICE_HOST',
    told: () => 'Kubernetes gives this pod its CPU request when the node is busy',
  },
]

/** A sentence on the platform that may limit this process unseen; null: none is known. */
export function unseenLimit(env: Env): string | null {
  const found = PLATFORMS.find(({ sign }) => env[sign] !== undefined)
  return found ? `No limit is visible, but ${found.told(env)}: set THREADWISE_CPUS to what it gives.` : null
}

function lambda({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: text }: Env): string {
  const mb = Number(text)
  if (!(mb > 0)) return 'AWS Lambda gives CPU time by memory'
  return `AWS Lambda gives a function of ${mb} MB about ${Number((mb / LAMBDA_MB_PER_CPU).toFixed(2))} CPU`
}
