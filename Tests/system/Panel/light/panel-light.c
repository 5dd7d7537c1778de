// SPDX-License-Identifier: Apache-2.0
// A backlight that only stores its values, because emulated screens have none. It is built for Debian's kernel, like
// vkms, and loaded by tests. After a change, increment LAYOUT in harness/kernel.py, so that it is rebuilt. The kernel
// accepts licences that it does not know by name.
#include <linux/backlight.h>
#include <linux/err.h>
#include <linux/module.h>

static struct backlight_device *light;

static int update_status(struct backlight_device *changed)
{
	return 0;
}

static const struct backlight_ops operations = { .update_status = update_status };

static int __init panel_light_init(void)
{
	const struct backlight_properties properties = {
		.type = BACKLIGHT_PLATFORM, .max_brightness = 200, .brightness = 200 };

	light = backlight_device_register("panel-light", NULL, NULL, &operations, &properties);
	return PTR_ERR_OR_ZERO(light);
}

static void __exit panel_light_exit(void)
{
	backlight_device_unregister(light);
}

module_init(panel_light_init);
module_exit(panel_light_exit);
MODULE_DESCRIPTION("Backlight for tests");
MODULE_LICENSE("Apache-2.0");
