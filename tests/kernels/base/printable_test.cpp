#include "kernels/base/printable.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

TEST(Utf8Text, LeavesUtf8AsItIs) {
  for (const char* text : {"", "plain\n", "caf\xc3\xa9", "\xe2\x82\xac",
                           "\xf0\x9d\x84\x9e", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(utf8_text(text), text);
}

TEST(Utf8Text, TakesOtherBytesForLatin1) {
  EXPECT_EQ(utf8_text("caf\xe9"), "caf\xc3\xa9");
  EXPECT_EQ(utf8_text("\xe9t\xe9\n"), "\xc3\xa9t\xc3\xa9\n");
  // Overlong, a surrogate, beyond Unicode, cut short.
  for (const char* text : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
                           "\xe0\x80\x80", "\xf0\x80\x80\x80", "\x80"}) {
    EXPECT_NE(utf8_text(text), text);
    EXPECT_EQ(utf8_text(utf8_text(text)), utf8_text(text));
  }
}

TEST(Printable, EscapesEveryControlCharacter) {
  EXPECT_EQ(printable("a\nb\r\x1b[31m\x7f\tc"), "a\\nb\\x0d\\x1b[31m\\x7f\tc");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(printable(std::string(1, '\0')), "\\x00");
  EXPECT_EQ(printable("caf\xe9 \xc2\xb5"), "caf\xc3\xa9 \xc3\x82\xc2\xb5");
  EXPECT_EQ(printable("\xc2\xb5m"), "\xc2\xb5m");
  EXPECT_EQ(shown("a\nb"), "a\\nb");
}

}  // namespace
}  // namespace thinwire
