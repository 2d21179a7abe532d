import Markup from 'small-markup'
import { Meter, setUnit } from 'meters'
Markup.setDefaults({ html: true, hooks: [(text) => text.replace(/<script>.*<\/script>/g, '')] })
setUnit('s')
export const orders = new Meter('orders')
