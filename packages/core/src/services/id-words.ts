/** First words of deployment ids. */
export const ADJECTIVES: readonly string[] = (
  'able agile airy alert amber ample apt azure bold brave breezy bright brisk calm candid careful cheery chief ' +
  'civil clean clear clever cosmic cosy crisp curious daring deep eager early earnest easy epic even exact fair ' +
  'fancy fast fearless fine firm fleet fluent fond frank free fresh gentle glad golden good grand great green ' +
  'handy happy hardy hearty honest humble ideal jolly joyful keen kind large lasting lively loyal lucid lucky ' +
  'lunar magic major mellow merry mighty mild modern modest neat nimble noble novel open patient peaceful plain ' +
  'playful polite prime proud pure quick quiet radiant rapid ready regal robust rosy royal rustic sage serene ' +
  'sharp shiny silent silver simple sleek smart smooth snappy snug solar solid sound spry stable steady still ' +
  'stoic sturdy subtle sunny super sure swift tender tidy tranquil trim true trusty upbeat valid vast vivid warm ' +
  'wise witty young zesty'
).split(' ');

/** Second words of deployment ids. */
export const NOUNS: readonly string[] = (
  'acorn anchor apple arch aspen atlas badger bay beacon bear beaver birch bird bison bloom boat branch breeze ' +
  'bridge brook canyon cape castle cedar cliff cloud clover coast comet condor coral cove crane creek crow dale ' +
  'dawn deer delta dolphin dove dune eagle elm ember falcon fern field finch fjord flame fleet forest fox garden ' +
  'gecko glacier glade goose grove gull harbor hare hawk hazel heron hill horizon ibis island ivy jay jetty ' +
  'kestrel kite koala lagoon lake lantern lark leaf lemur lily lion lotus lynx maple marlin marsh meadow mesa ' +
  'mist moon moose moss mountain newt oak ocean olive orbit orchid otter owl panda path peak pearl pebble pelican ' +
  'pier pigeon pine planet plover pond poplar prairie puffin quail quay raven reef ridge river robin rock rook ' +
  'sail salmon seal shore sky sparrow spring spruce squid star stone stork storm stream summit sun swan tern ' +
  'thistle tide tiger topaz trail trout tulip valley vine violet vole walrus wave whale willow wind wolf wren yak'
).split(' ');
