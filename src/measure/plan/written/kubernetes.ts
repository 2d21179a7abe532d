// A Deployment with its resources, and a HorizontalPodAutoscaler that keeps the use at which the p99 was predicted.

import { commented, type ContainerSettings } from './settings.js'

export function kubernetesText(settings: ContainerSettings): string {
  return `${commented(settings.origin)}${deployment(settings)}---\n${autoscaler(settings)}`
}

/** JSON is YAML: so are all strings that came from outside. */
const quoted = (text: string) => JSON.stringify(text)

function deployment({ name, words, containers, cpus, memory }: ContainerSettings): string {
  const cpu = `${Math.round(1000 * cpus)}m`
  const request = memory === null ? '' : `\n              memory: ${memory.requestMb}Mi`
  const limit =
    memory === null ? '' : `\n              memory: ${memory.limitMb}Mi # the heap may grow: watch it`
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: ${containers} # leave it out where the autoscaler below is used
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      containers:
        - name: ${name}
          image: IMAGE # yours
          command: [${words.map(quoted).join(', ')}]
          resources:
            requests: # the same as the limit: the p99 was predicted for CPUs that it really gets
              cpu: ${cpu}${request}
            limits:
              cpu: ${cpu}${limit}
`
}

/** Containers are alike and share nothing, so each has the same p99 at the same use. */
function autoscaler({ name, containers, usePercent, spare }: ContainerSettings): string {
  return `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: ${name}
  minReplicas: ${1 + spare}
  maxReplicas: ${2 * containers}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: ${usePercent} # at this use the p99 was predicted
`
}
