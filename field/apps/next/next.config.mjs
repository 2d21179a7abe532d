export default {
  outputFileTracingIncludes: { '/*': ['./sums/**', './node_modules/threadwise/**'] },
}
